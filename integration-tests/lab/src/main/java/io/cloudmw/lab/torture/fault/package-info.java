/** Faults of the torture test: their kinds, the draw of the next one, and the outages they cause. */
@NullMarked
package io.cloudmw.lab.torture.fault;

import org.jspecify.annotations.NullMarked;
