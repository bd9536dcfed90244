import org.slf4j.helpers.NOP_FallbackServiceProvider;

/** A second log provider, in addition to the application's own. */
public final class SecondProvider extends NOP_FallbackServiceProvider {}
