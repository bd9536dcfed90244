/** Tests of progress and receipts. */
@NullMarked
package io.cloudmw.client.progress;

import org.jspecify.annotations.NullMarked;
