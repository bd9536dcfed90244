package io.cloudmw.hadoop.stream;

import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.fs.Options.OpenFileOptions;

/** The way in which an application is going to read a file. */
public enum ReadPolicy {
    /** Nothing is read ahead: for formats that seek, such as Parquet and ORC. */
    RANDOM,
    /** Reads in sequence run ahead, others do not. */
    ADAPTIVE;

    /**
     * The policy of the first name that is known, in a list with commas between.
     *
     * @param names as {@code fs.option.openfile.read.policy} has them
     * @return empty: none is known
     */
    public static Optional<ReadPolicy> find(String names) {
        for (String name : names.split(",", -1)) {
            Optional<ReadPolicy> found = known(name.trim().toLowerCase(Locale.ROOT));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<ReadPolicy> known(String name) {
        return switch (name) {
            case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_VECTOR,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_COLUMNAR,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_PARQUET,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ORC,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_HBASE -> Optional.of(RANDOM);
            case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_DEFAULT,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_WHOLE_FILE,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_AVRO,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_CSV,
                    OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_JSON -> Optional.of(ADAPTIVE);
            default -> Optional.empty();
        };
    }
}
