/** Everything that needs more than one module: real processes, LocalStack, faults. */
@NullMarked
package io.cloudmw.it;

import org.jspecify.annotations.NullMarked;
