/** Tests of output. */
@NullMarked
package io.cloudmw.cli.output;

import org.jspecify.annotations.NullMarked;
