# Files that a site needs besides the program, in their usual folders: license and changelog, manual pages, shell
# completions, module files. `cmake --install … --component site` installs these alone.
include_guard()

set(HALOCLINE_SITE_FOLDER ${CMAKE_CURRENT_LIST_DIR}/site)

function(halocline_install_site)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CITATION.cff
    DESTINATION share/doc/halocline COMPONENT site)
  # The program generates pages and completions at installation, when the prefix is known.
  install(CODE "
    set(HALOCLINE_PROGRAM \"$<TARGET_FILE:halocline>\")
    set(HALOCLINE_VERSION ${PROJECT_VERSION})
    set(HALOCLINE_BACKEND ${HALOCLINE_BACKEND})
    set(HALOCLINE_SITE_FOLDER \"${HALOCLINE_SITE_FOLDER}\")
    set(HALOCLINE_GENERATED \"${PROJECT_BINARY_DIR}/site\")" COMPONENT site)
  install(SCRIPT ${HALOCLINE_SITE_FOLDER}/install.cmake COMPONENT site)
endfunction()
