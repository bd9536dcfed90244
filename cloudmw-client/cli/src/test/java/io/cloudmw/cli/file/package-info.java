/** Tests of the commands about files. */
@NullMarked
package io.cloudmw.cli.file;

import org.jspecify.annotations.NullMarked;
