import com.sun.tools.attach.VirtualMachine;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Measures a running program and dumps its heap right after. Arguments: its process id, the dump. */
public final class Moment {
    private Moment() {
    }

    public static void main(String[] args) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(args[0]);
        String address = vm.startLocalManagementAgent();
        vm.detach();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            Object measured = beans.invoke(new ObjectName("io.weighbridge:type=Runtime"), "dump",
                    new Object[] {"now"}, new String[] {"java.lang.String"});
            if (!Boolean.TRUE.equals(measured)) {
                throw new IllegalStateException("it was not measured");
            }
            beans.invoke(new ObjectName("com.sun.management:type=HotSpotDiagnostic"), "dumpHeap",
                    new Object[] {args[1], true}, new String[] {"java.lang.String", "boolean"});
        }
    }
}
