/**
 * A cluster in one process, for development and for tests of applications. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.standalone;

import org.jspecify.annotations.NullMarked;
