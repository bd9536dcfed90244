/**
 * The identities of disks and buckets: drawn when they are first used, and checked later. Values and pure rules, but
 * for the checks of buckets, which block on the store. Safe for any thread.
 */
@NullMarked
package io.cloudmw.core.identity;

import org.jspecify.annotations.NullMarked;
