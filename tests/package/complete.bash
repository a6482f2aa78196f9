# complete.bash SCRIPT WORDS...: what SCRIPT offers for the last of the words, sorted, in one line.
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_tilescope
printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
