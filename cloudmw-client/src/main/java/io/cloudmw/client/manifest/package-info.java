/**
 * Reading and writing of manifests, one segment at a time. Each reader or writer is confined to its transfer's serial
 * executor.
 */
@NullMarked
package io.cloudmw.client.manifest;

import org.jspecify.annotations.NullMarked;
