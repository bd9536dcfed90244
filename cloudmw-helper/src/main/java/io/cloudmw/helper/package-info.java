/**
 * A helper process: {@link io.cloudmw.helper.HelperServer} puts its rooms together. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper;

import org.jspecify.annotations.NullMarked;
