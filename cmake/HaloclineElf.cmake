# halocline_elf_entries(FILE SONAME|NEEDED OUT [READELF]): the entries of this kind in a shared object's dynamic section;
# empty without readelf
function(halocline_elf_entries file kind out)
  set(readelf ${CMAKE_READELF})
  if(ARGC GREATER 3)
    set(readelf ${ARGV3})
  endif()
  set(names "")
  if(readelf)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${readelf} -d ${file}
      OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE failed)
    # Brackets would prevent CMake from splitting the list.
    string(REGEX REPLACE "[][]" "|" said "${said}")
    string(REGEX MATCHALL "\\(${kind}\\)[^\n|]*[|][^|\n]*" lines "${said}")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*[|]" "" name "${line}")
      list(APPEND names ${name})
    endforeach()
  endif()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()
