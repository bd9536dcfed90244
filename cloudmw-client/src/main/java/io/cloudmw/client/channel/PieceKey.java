package io.cloudmw.client.channel;

import io.cloudmw.core.model.VersionId;

/**
 * The key of a piece: the part of a version that is read and kept as a whole.
 *
 * @param index counts the version's pieces from 0
 */
record PieceKey(VersionId version, long index) {
    /** The form for messages. */
    @Override
    public String toString() {
        return "piece " + index + " of version " + version;
    }
}
