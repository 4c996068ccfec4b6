# Completion of dscope for bash. For this shell:    source <(dscope completion bash)
# For all to come: dscope completion bash > ~/.local/share/bash-completion/completions/dscope

_dscope() {
	local lines more=() typed=${2#[\'\"]}
	mapfile -t lines < <("${COMP_WORDS[0]}" completion --words bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
	case ${lines[0]} in
	more) compopt -o nospace ;;
	files) compopt -o filenames && mapfile -t more < <(compgen -f -- "$typed") ;;
	scripts) compopt -o filenames && mapfile -t more < <(compgen -f -X '!*.d' -- "$typed"; compgen -d -- "$typed") ;;
	folders) compopt -o filenames && mapfile -t more < <(compgen -d -- "$typed") ;;
	programs) mapfile -t more < <(compgen -c -- "$typed") ;;
	esac
	COMPREPLY=("${lines[@]:1}" "${more[@]}")
}

complete -F _dscope dscope
