# Completion of dscope for fish. For this shell:    dscope completion fish | source
# For all to come: dscope completion fish > ~/.config/fish/completions/dscope.fish

function __dscope_complete
    set -l typed (string trim -l -c '\'"' -- (commandline -ct)) # a quote may be open
    set -l before (commandline -opc)
    set -l lines ($before[1] completion --words fish $before[2..] "$typed" 2>/dev/null)
    string join \n -- $lines[2..]
    switch "$lines[1]"
        case files
            __fish_complete_path "$typed"
        case scripts
            __fish_complete_path "$typed" | string match -r '^[^\t]*(?:/|\.d)(?:\t.*)?$'
        case folders
            __fish_complete_directories "$typed"
        case programs
            complete -C "$typed" | string match -v -- '-*'
    end
end

complete -c dscope -f -a '(__dscope_complete)'
