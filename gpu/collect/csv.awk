# What the scripts that read tables of Nsight Compute share: awk -f csv.awk -f SCRIPT.awk ...

# Splits a line of CSV into cell[1..]; returns how many. Quotes and carriage returns are dropped.
function split_csv(line, cell,    count, pieces, i, j, parts, part, outside, text) {
  split("", cell); count = 0; text = ""
  gsub(/\r/, "", line)
  pieces = split(line, part, "\"")
  for (i = 1; i <= pieces; ++i) {
    if (i % 2 == 0) { text = text part[i]; continue }  # between quotes
    parts = split(part[i], outside, ",")
    for (j = 1; j <= parts; ++j) {
      text = text outside[j]
      if (j < parts) { cell[++count] = text; text = "" }
    }
  }
  cell[++count] = text
  return count
}

# The columns of a table whose first line this is: column[NAME] is the number of its cell.
function columns_of(line, column,    cell, count, i) {
  split("", column)
  count = split_csv(line, cell)
  for (i = 1; i <= count; ++i) column[cell[i]] = i
}

# A number without the commas between its digits; other text as it is.
function plain(text) { if (text ~ /^-?[0-9][0-9,]*(\.[0-9]+)?$/) gsub(/,/, "", text); return text }

function median(values, count,    i, j, swap) {
  for (i = 2; i <= count; ++i)
    for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; --j) { swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap }
  return values[int((count + 1) / 2)]
}
