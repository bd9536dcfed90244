/**
 * Many transfers at once in virtual time: the race's own state machines over modelled stores, links and clocks. They
 * give figures, and show what only happens at the size of a fleet. Confined to one thread.
 */
@NullMarked
package io.cloudmw.core.testing.fleet;

import org.jspecify.annotations.NullMarked;
