package io.cloudmw.lab.race;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.ReadPath;

/**
 * A contender that is CloudMW in one mode. Each mode has its own client, so that modes do not share a client's budget
 * for extra requests.
 */
final class ModeContender implements Contender {
    private final CloudMw client;
    private final Mode mode;

    /**
     * Creates a contender.
     *
     * @param client closed by the caller
     */
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
                .read(
                        file.path(),
                        destination,
                        GetOptions.defaults().withMode(mode).withPath(ReadPath.FLEET))
                .get();
    }
}
