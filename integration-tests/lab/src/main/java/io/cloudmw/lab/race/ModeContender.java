package io.cloudmw.lab.race;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.core.model.Mode;

/** CloudMW in one mode, by a client of its own: the budget for extras is a client's, and no mode spends another's. */
final class ModeContender implements Contender {
    private final CloudMw client;
    private final Mode mode;

    /** @param client stays the caller's */
    ModeContender(CloudMw client, Mode mode) {
        this.client = client;
        this.mode = mode;
    }

    @Override
    public String name() {
        return mode.label();
    }

    @Override
    public void read(LabFile file, PositionalTarget destination) throws Exception {
        var unused = client.files()
                .read(file.path(), destination, GetOptions.defaults().withMode(mode))
                .get();
    }
}
