#compdef dscope
# Completion of dscope for zsh. For this shell:    source <(dscope completion zsh)
# For all to come, into a folder of $fpath: dscope completion zsh > ~/.zfunc/_dscope

_dscope() {
	local typed=$PREFIX line text
	local -a lines whole wholeshown open openshown
	[[ -z $compstate[quote] ]] && typed=${(Q)PREFIX}
	lines=("${(@f)$(${(Q)words[1]} completion --words zsh "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)}")
	for line in $lines[2,-1]; do
		text=${line%%$'\t'*}
		case $line in
		*:$'\t'*|*=$'\t'*|*:|*=) open+=("$text") openshown+=("${line/$'\t'/  -- }") ;;
		*) whole+=("$text") wholeshown+=("${line/$'\t'/  -- }") ;;
		esac
	done
	(( $#whole )) && compadd -l -d wholeshown -a whole
	(( $#open )) && compadd -l -S '' -d openshown -a open
	case $lines[1] in
	files) _files ;;
	scripts) _files -g '*.d' ;;
	folders) _files -/ ;;
	programs) _command_names -e ;;
	esac
}

if [[ $funcstack[1] == _dscope ]]; then
	_dscope "$@" # zsh has read this file to complete
elif (( $+functions[compdef] )); then
	compdef _dscope dscope
fi
