/**
 * Reading chunks through URLs that somebody else signed: no credentials and no AWS SDK needed. Safe for any
 * thread; calls block.
 */
@NullMarked
package io.cloudmw.core.store.http;

import org.jspecify.annotations.NullMarked;
