# The metrics of a list that a GPU has, in the list's order: a '*' before the last dot stands for any letters of a name.
#   awk -v known=NAMES_THAT_THE_GPU_HAS -f select_metrics.awk LIST
BEGIN { while ((getline name < known) > 0) { have[name] = 1; order[++count] = name } }
{ sub(/#.*/, ""); gsub(/[ \t]/, "") }
$0 == "" { next }
{
  base = $0; sub(/\..*/, "", base); suffix = substr($0, length(base) + 1); found = 0
  if (base ~ /^launch__/) { found = 1; wanted[++last] = $0 }
  else if (base ~ /\*/) {
    pattern = base; gsub(/\*/, "[a-z0-9_]*", pattern)
    for (i = 1; i <= count; ++i) if (order[i] ~ "^" pattern "$") { found = 1; wanted[++last] = order[i] suffix }
  } else if (base in have) { found = 1; wanted[++last] = $0 }
  if (!found) print "this GPU has no " base > "/dev/stderr"
}
END { for (i = 1; i <= last; ++i) if (!seen[wanted[i]]++) print wanted[i] }
