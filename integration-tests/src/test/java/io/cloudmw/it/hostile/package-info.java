/** Attacks on running processes: generated frames and messages. Each attack is repeatable by its seed. */
@NullMarked
package io.cloudmw.it.hostile;

import org.jspecify.annotations.NullMarked;
