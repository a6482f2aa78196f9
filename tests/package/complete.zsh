# complete.zsh DIRECTORY WORDS...: what the completion functions of DIRECTORY offer for the last of the words, sorted, in one
# line. A zsh of its own completes in a pseudo-terminal; its compadd says what it is given and takes nothing.
directory=$1
shift
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PS1= PS2= RPS1=; unsetopt zle_bracketed_paste 2>/dev/null; stty -echo; fpath=($directory \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w inner "
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd \"\$@\"; return \$?; fi
  typeset -a __hits
  builtin compadd -A __hits \"\$@\"
  local __hit
  for __hit in \$__hits; do print -r -- \"<hit>\$__hit</hit>\"; done
}
zstyle ':completion:*' list-grouped false
zstyle ':completion:*' force-list always
finish() { compstate[insert]= ; compstate[list]=; print '<end>'; }
comppostfuncs=(finish)
bindkey '^I' complete-word
print '<ready>'"
local text= piece
while zpty -r inner piece; do [[ $piece == *'<ready>'* && $piece != *print* ]] && break; done
local line=
for word in "${@[1,-2]}"; do line+="${(q)word} "; done
zpty -w -n inner "$line${@[-1]}"$'\t'
while zpty -r inner piece; do
  text+=$piece
  [[ $piece == *'<end>'* ]] && break
done
zpty -d inner
print -r -- "$text" | tr -d '\r' | grep -o '<hit>[^<]*</hit>' | sed 's/<[^>]*>//g' | sort -u | xargs
