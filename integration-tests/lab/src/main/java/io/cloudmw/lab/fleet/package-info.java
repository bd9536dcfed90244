/** Local server processes for the lab: start, output, stop. */
@NullMarked
package io.cloudmw.lab.fleet;

import org.jspecify.annotations.NullMarked;
