/** Tests of progress lines. */
@NullMarked
package io.cloudmw.cli.progress;

import org.jspecify.annotations.NullMarked;
