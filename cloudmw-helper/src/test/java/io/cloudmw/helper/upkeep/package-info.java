/** Tests of a helper's upkeep. */
@NullMarked
package io.cloudmw.helper.upkeep;

import org.jspecify.annotations.NullMarked;
