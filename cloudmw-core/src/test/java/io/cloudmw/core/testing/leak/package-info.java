/** An extension that fails the tests of a module when Netty's leak detector reports a leak. Any thread. */
@NullMarked
package io.cloudmw.core.testing.leak;

import org.jspecify.annotations.NullMarked;
