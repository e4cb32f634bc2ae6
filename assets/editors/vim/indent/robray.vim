" Indentation by brackets.
if exists("b:did_indent")
  finish
endif
let b:did_indent = 1

setlocal indentexpr=MorseSimIndent_robray(v:lnum)
setlocal indentkeys=0{,0},0),0],!^F,o,O
let b:undo_indent = "setlocal indentexpr< indentkeys<"

if exists("*MorseSimIndent_robray")
  finish
endif

" Returns the text of a line without strings and comments.
function! s:Code(lnum)
  let line = substitute(getline(a:lnum), '"[^"]*"', '', 'g')
  return substitute(line, '//.*\|/\*.\{-}\*/\|^\s*#.*', '', 'g')
endfunction

function! MorseSimIndent_robray(lnum)
  let before = prevnonblank(a:lnum - 1)
  if before == 0
    return 0
  endif
  let code = s:Code(before)
  " Brackets that close at the start of a line belong to the indentation of that line.
  let code = substitute(code, '^\s*[})\]]\+', '', '')
  let opened = len(substitute(code, '[^{(\[]', '', 'g')) - len(substitute(code, '[^})\]]', '', 'g'))
  let indent = indent(before) + (opened > 0 ? 1 : opened < 0 ? -1 : 0) * shiftwidth()
  if getline(a:lnum) =~ '^\s*[})\]]'
    let indent -= shiftwidth()
  endif
  return max([indent, 0])
endfunction
