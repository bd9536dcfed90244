package io.cloudmw.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractAppendTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Hadoop's suite over a volume. */
class AppendContractTest extends AbstractContractAppendTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new VolumeContract(configuration);
    }

    @Test
    @Disabled("docs/hadoop.md: a stream that appends is bound to its path, not to the file")
    @Override
    public void testRenameFileBeingAppended() {}
}
