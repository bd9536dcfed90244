/** Tests of upkeep's decisions, in virtual time. */
@NullMarked
package io.cloudmw.core.upkeep;

import org.jspecify.annotations.NullMarked;
