/** Commands about files and directories. */
@NullMarked
package io.cloudmw.cli.file;

import org.jspecify.annotations.NullMarked;
