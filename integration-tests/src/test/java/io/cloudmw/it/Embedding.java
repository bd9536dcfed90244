package io.cloudmw.it;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;

/**
 * The README's example of an embedded client. {@link ReadmeTest} compares it with the README, and {@link FleetIT} runs
 * it.
 */
final class Embedding {
    private Embedding() {}

    // README
    static GetReceipt putAndGet(String coordinator, String name, Path source, Path copy) {
        try (CloudMw cloudMw = CloudMw.connect(coordinator)) { // "127.0.0.1:7400"
            FilePath file = FilePath.parse(name); // "data:/reports/2026.parquet"
            cloudMw.files().put(source, file, PutOptions.defaults()).join();

            GetReceipt receipt =
                    cloudMw.files().get(file, copy, GetOptions.defaults()).join();
            System.out.println(receipt.bytes() + " bytes, won by " + receipt.winners());
            return receipt;
        }
    }
    // README
}
