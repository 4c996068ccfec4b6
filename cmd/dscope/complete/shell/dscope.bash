# Completion of dscope for bash. For this shell:    source <(dscope completion bash)
# For all to come: dscope completion bash > ~/.local/share/bash-completion/completions/dscope

_dscope() {
	local IFS=$'\n' lines
	lines=($("${COMP_WORDS[0]}" completion --words bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null))
	COMPREPLY=("${lines[@]:1}")
	case ${lines[0]} in
	more) compopt -o nospace ;;
	files) compopt -o filenames && COMPREPLY+=($(compgen -f -- "$2")) ;;
	scripts) compopt -o filenames && COMPREPLY+=($(compgen -f -X '!*.d' -- "$2") $(compgen -d -- "$2")) ;;
	folders) compopt -o filenames && COMPREPLY+=($(compgen -d -- "$2")) ;;
	programs) COMPREPLY+=($(compgen -c -- "$2")) ;;
	esac
}

complete -F _dscope dscope
