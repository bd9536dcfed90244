/** The log of server processes: its format, and the fields of its JSON lines. Safe for any thread. */
@NullMarked
package io.cloudmw.helper.log;

import org.jspecify.annotations.NullMarked;
