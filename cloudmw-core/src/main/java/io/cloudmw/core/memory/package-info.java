/** The buffer memory of bulk connections, and budgets of bytes. Safe for any thread. */
@NullMarked
package io.cloudmw.core.memory;

import org.jspecify.annotations.NullMarked;
