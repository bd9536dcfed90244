/** Progress lines of running commands on standard error. */
@NullMarked
package io.cloudmw.cli.progress;

import org.jspecify.annotations.NullMarked;
