extends SceneTree
# A free body in Godot 3, for `python -m benchmarks.shapes`. `body.gd` is the script that is pasted, with the
# number of steps, the rotation of the principal axes and the velocity.

func _init():
    var script = load("res://body.gd")
    var body = script.new()
    var shape = CollisionShape.new()
    shape.shape = BoxShape.new()
    shape.shape.extents = Vector3(0.3, 0.7, 1.2)
    shape.transform.basis = Basis(script.AXES.normalized())
    body.add_child(shape)
    body.can_sleep = false
    body.gravity_scale = 0.0
    body.linear_damp = 0.0
    body.angular_damp = 0.0
    body.angular_velocity = script.OMEGA
    get_root().call_deferred("add_child", body)
