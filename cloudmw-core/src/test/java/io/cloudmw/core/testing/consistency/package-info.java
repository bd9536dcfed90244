/** The comparison of clients' views of a volume's names with the one order of their changes. Pure; no threads. */
@NullMarked
package io.cloudmw.core.testing.consistency;

import org.jspecify.annotations.NullMarked;
