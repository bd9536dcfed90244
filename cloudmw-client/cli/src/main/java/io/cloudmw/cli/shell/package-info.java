/** Shell completion and manual pages, generated from the commands. */
@NullMarked
package io.cloudmw.cli.shell;

import org.jspecify.annotations.NullMarked;
