/** Fakes for this module's tests. */
@NullMarked
package io.cloudmw.helper.testing;

import org.jspecify.annotations.NullMarked;
