/** Standard output: JSON and lines for people. */
@NullMarked
package io.cloudmw.cli.output;

import org.jspecify.annotations.NullMarked;
