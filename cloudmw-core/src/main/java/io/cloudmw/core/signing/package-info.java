/**
 * Which process signs the URLs that clients read buckets by. Stateless; safe for any thread.
 */
@NullMarked
package io.cloudmw.core.signing;

import org.jspecify.annotations.NullMarked;
