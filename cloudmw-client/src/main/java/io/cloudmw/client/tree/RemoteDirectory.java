package io.cloudmw.client.tree;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;

/**
 * A directory of a volume.
 *
 * @param path {@code /} or {@code /a/b}
 */
record RemoteDirectory(VolumeName volume, String path) {
    RemoteDirectory {
        if (!path.equals("/")) {
            path = new FilePath(volume, path.endsWith("/") ? path.substring(0, path.length() - 1) : path).path();
        }
    }

    /** A name in it; checked. */
    FilePath file(String name) {
        return new FilePath(volume, (path.equals("/") ? "" : path) + "/" + name);
    }

    RemoteDirectory directory(String name) {
        return new RemoteDirectory(volume, file(name).path());
    }

    @Override
    public String toString() {
        return volume + ":" + path;
    }
}
