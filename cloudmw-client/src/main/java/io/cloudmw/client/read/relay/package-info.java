/**
 * Blocks on their way from a racer to the destination: verification, credit and hand-over of their leaves. Grants and
 * acceptance belong to the transfer's serial executor; each relay verifies and hands on leaves in a lane of its own.
 */
@NullMarked
package io.cloudmw.client.read.relay;

import org.jspecify.annotations.NullMarked;
