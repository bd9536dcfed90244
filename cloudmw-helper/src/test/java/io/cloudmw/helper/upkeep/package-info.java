/** Tests of what a helper does for upkeep. */
@NullMarked
package io.cloudmw.helper.upkeep;

import org.jspecify.annotations.NullMarked;
