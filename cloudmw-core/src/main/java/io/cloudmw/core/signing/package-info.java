/**
 * The signing of URLs by which clients read buckets, and the choice of the process that signs. Stateless; safe for any
 * thread.
 */
@NullMarked
package io.cloudmw.core.signing;

import org.jspecify.annotations.NullMarked;
