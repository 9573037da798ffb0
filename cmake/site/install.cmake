# Run by `cmake --install`: generates pages and completions with the built program and module files for the prefix, and
# installs them. Requires HALOCLINE_PROGRAM, HALOCLINE_VERSION, HALOCLINE_BACKEND, HALOCLINE_SITE_FOLDER and
# HALOCLINE_GENERATED, the folder for generated files.

# FOLDER NAME WORD…: installs the program's output for these arguments as a file; nothing if it does not start
function(halocline_say folder name)
  if(HALOCLINE_SILENT)
    return()
  endif()
  set(file ${HALOCLINE_GENERATED}/${folder}/${name})
  file(MAKE_DIRECTORY ${HALOCLINE_GENERATED}/${folder})
  execute_process(COMMAND ${HALOCLINE_PROGRAM} ${ARGN} OUTPUT_FILE ${file} ERROR_VARIABLE why RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    # For example a GPU program on a machine without a driver.
    string(STRIP "${why}" why)
    message(STATUS "No manual pages and completions: the program does not start here (${code}: ${why})")
    set(HALOCLINE_SILENT ON PARENT_SCOPE)
    return()
  endif()
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${folder}" TYPE FILE FILES ${file})
endfunction()

halocline_say(share/man/man1 halocline.1 list --man)
halocline_say(share/man/man5 halocline-deck.5 list options --man)
halocline_say(share/bash-completion/completions halocline completion bash)
halocline_say(share/zsh/site-functions _halocline completion zsh)
halocline_say(share/fish/vendor_completions.d halocline.fish completion fish)

foreach(form IN ITEMS .lua "")
  set(file ${HALOCLINE_GENERATED}/share/modulefiles/halocline/${HALOCLINE_VERSION}${form})
  configure_file(${HALOCLINE_SITE_FOLDER}/module${form}.in ${file} @ONLY)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/modulefiles/halocline" TYPE FILE FILES ${file})
endforeach()
